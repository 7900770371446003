! A program in Fortran over autotune.f90: a sum and a maximum of each row on the emulator, data of the host, and
! an error; structs are laid out as C has them (fortran_layout.c). Prints what is wrong, or that nothing is.
program fortran_program
    use autotune
    implicit none

    interface
        integer(c_int) function wrong_layouts(problem, context_options, plan_options, error) bind(c)
            import
            type(autotune_problem), intent(in) :: problem
            type(autotune_context_options), intent(in) :: context_options
            type(autotune_plan_options), intent(in) :: plan_options
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_size_t) function sizes_of_c() bind(c)
            import
        end function
    end interface

    type(autotune_context_options), target :: options
    type(autotune_error) :: error
    type(c_ptr) :: context

    call check_layouts()
    options%device = autotune_text("host")
    call check(autotune_context_create(context, c_loc(options), error))
    call check_rows()
    call check_host()
    call check_error()
    call check(autotune_context_destroy(context, error))
    print '(a)', "all as it should be"

contains

    subroutine check(code)
        integer(c_int), intent(in) :: code
        if (code == 0) return
        print '(a, i0, 2a)', "code ", code, ": ", autotune_sentence(error)
        stop 1
    end subroutine

    subroutine expect(is_so, what)
        logical, intent(in) :: is_so
        character(*), intent(in) :: what
        if (is_so) return
        print '(2a)', "not as it should be: ", what
        stop 1
    end subroutine

    subroutine check_layouts()
        type(autotune_problem) :: problem
        type(autotune_plan_options) :: from
        type(autotune_call) :: one
        problem%op = autotune_text("sum")
        problem%type = autotune_text("f32")
        problem%acc = autotune_text("f64")
        problem%n = 1
        problem%is_warm = 2
        problem%order = autotune_order_by_n
        problem%rows = 4
        problem%len = 5
        problem%pitch = 6
        problem%axis = 7
        problem%scan = autotune_exclusive
        problem%params = autotune_text("delta=1")
        problem%lies = autotune_text("y=one")
        from%from = autotune_from_tuning
        from%budget_seconds = 2.5d0
        options%device = autotune_text("host")
        options%program = autotune_text("here")
        call expect(wrong_layouts(problem, options, from, error) == 0, "members")
        call expect(autotune_sentence(error) == "a sentence" .and. error%code == -3, "an error")
        call expect(c_sizeof(problem) + c_sizeof(from) + c_sizeof(options) + c_sizeof(error) &
            + c_sizeof(one) == sizes_of_c(), "sizes")
        options%program = c_null_ptr
    end subroutine

    ! The columns of Fortran are the rows of C.
    subroutine check_rows()
        type(autotune_problem) :: problem
        type(c_ptr) :: plan, workspace
        integer(c_int32_t), target :: x(40, 30), most(30)
        integer :: i, j
        x = reshape([((mod(i*j, 37), i=1, 40), j=1, 30)], shape(x))
        problem%op = autotune_text("max")
        problem%type = autotune_text("i32")
        problem%rows = 30
        problem%len = 40
        problem%axis = 1
        call check(autotune_plan_create(plan, context, problem, c_null_ptr, error))
        call check(autotune_workspace_create(workspace, plan, c_null_ptr, c_null_ptr, error))
        call check(autotune_execute(workspace, c_loc(x), 30_c_int64_t, c_loc(most), c_null_ptr, error))
        call expect(all(most == maxval(x, dim=1)), "a maximum")
        call check(autotune_workspace_destroy(workspace, error))
        call check(autotune_plan_destroy(plan, error))
    end subroutine

    subroutine check_host()
        type(autotune_problem) :: problem
        type(c_ptr) :: pipeline
        real(c_double), target :: x(5000), total
        integer :: i
        x = [(real(i, c_double), i=1, 5000)]
        problem%op = autotune_text("sum")
        problem%type = autotune_text("f64")
        problem%n = 5000
        call check(autotune_pipeline_create(pipeline, context, problem, c_null_ptr, c_null_ptr, error))
        call check(autotune_execute_host(pipeline, c_loc(x), 5000_c_int64_t, c_loc(total), error))
        call expect(abs(total - sum(x)) < 0.5, "a sum of data of the host")
        call check(autotune_pipeline_destroy(pipeline, error))
    end subroutine

    subroutine check_error()
        type(autotune_problem) :: problem
        type(c_ptr) :: plan
        problem%op = autotune_text("sum")
        problem%type = autotune_text("f33")
        problem%n = 1
        call expect(autotune_plan_create(plan, context, problem, c_null_ptr, error) == -2, "a code")
        call expect(index(autotune_sentence(error), "f33") > 0, "a sentence")
        call expect(.not. c_associated(plan), "no plan")
    end subroutine
end program
