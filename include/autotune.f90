! autotune: the library's calls for Fortran 2003 and later, over autotune.h, which has the contracts.
!     program main
!         use autotune
!         type(autotune_problem) :: problem
!         problem%op = autotune_text("sum"); problem%type = autotune_text("f32"); problem%n = n
!         code = autotune_plan_create(plan, context, problem, c_null_ptr, error)
! Handles are type(c_ptr); a call returns 0, or a code and its sentence: autotune_sentence(error).
module autotune
    use, intrinsic :: iso_c_binding
    implicit none
    public

    ! What autotune_plan_options%from and autotune_problem%order, %scan take.
    enum, bind(c)
        enumerator :: autotune_from_best = 0, autotune_from_record, autotune_from_shipped, &
            autotune_from_default, autotune_from_tuning
        enumerator :: autotune_order_free = 0, autotune_order_run, autotune_order_by_n, &
            autotune_order_any
        enumerator :: autotune_no_scan = 0, autotune_inclusive, autotune_exclusive
    end enum

    type, bind(c) :: autotune_error
        integer(c_int) :: code = 0
        character(kind=c_char) :: text(2000) = c_null_char
    end type

    type, bind(c) :: autotune_context_options
        type(c_ptr) :: device = c_null_ptr, records = c_null_ptr, kernels = c_null_ptr, &
            nvrtc = c_null_ptr, program = c_null_ptr, reserved(8) = c_null_ptr
    end type

    type, bind(c) :: autotune_problem
        type(c_ptr) :: op = c_null_ptr, type = c_null_ptr, acc = c_null_ptr
        integer(c_int64_t) :: n = 0
        integer(c_int) :: is_warm = 0, order = 0
        integer(c_int64_t) :: rows = 0, len = 0, pitch = 0
        integer(c_int) :: axis = 0, scan = 0
        type(c_ptr) :: params = c_null_ptr, lies = c_null_ptr, reserved(1) = c_null_ptr, &
            dims = c_null_ptr
    end type

    type, bind(c) :: autotune_input
        type(c_ptr) :: data = c_null_ptr
        integer(c_int64_t) :: reserved(7) = 0
    end type

    ! call%size = c_sizeof(call) first; call%params(k) is c_loc of the k-th param's value.
    type, bind(c) :: autotune_call
        integer(c_size_t) :: size = 0
        type(autotune_input) :: inputs(4)
        type(c_ptr) :: outputs(4) = c_null_ptr
        integer(c_int64_t) :: n = 0
        type(c_ptr) :: params(8) = c_null_ptr, stream = c_null_ptr
        type(c_ptr) :: offsets = c_null_ptr
        integer(c_int64_t) :: reserved(15) = 0
    end type

    type, bind(c) :: autotune_plan_options
        integer(c_int) :: from = autotune_from_best
        real(c_double) :: budget_seconds = 0
        type(c_ptr) :: reserved(4) = c_null_ptr
    end type

    interface
        ! options is a c_loc of the type of that name, or c_null_ptr.
        integer(c_int) function autotune_context_create(context, options, error) bind(c)
            import
            type(c_ptr), intent(out) :: context
            type(c_ptr), value :: options
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_context_destroy(context, error) bind(c)
            import
            type(c_ptr), value :: context
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_operation_read(op, name, text, error) bind(c)
            import
            type(c_ptr), intent(out) :: op
            type(c_ptr), value :: name, text
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_plan_create(plan, context, problem, options, error) bind(c)
            import
            type(c_ptr), intent(out) :: plan
            type(c_ptr), value :: context, options
            type(autotune_problem), intent(in) :: problem
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_plan_destroy(plan, error) bind(c)
            import
            type(c_ptr), value :: plan
            type(autotune_error), intent(inout) :: error
        end function
        type(c_ptr) function autotune_plan_advice(plan) bind(c)
            import
            type(c_ptr), value :: plan
        end function
        integer(c_int) function autotune_workspace_create(workspace, plan, memory, stream, error) &
            bind(c)
            import
            type(c_ptr), intent(out) :: workspace
            type(c_ptr), value :: plan, memory, stream
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_workspace_destroy(workspace, error) bind(c)
            import
            type(c_ptr), value :: workspace
            type(autotune_error), intent(inout) :: error
        end function
        ! input and output are addresses in the GPU's memory: c_devloc, or c_loc of what OpenACC or OpenMP
        ! has there (use_device_addr).
        integer(c_int) function autotune_execute(workspace, input, n, output, stream, error) bind(c)
            import
            type(c_ptr), value :: workspace, input, output, stream
            integer(c_int64_t), value :: n
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_execute_call(workspace, call, error) bind(c)
            import
            type(c_ptr), value :: workspace
            type(autotune_call), intent(in) :: call
            type(autotune_error), intent(inout) :: error
        end function
        ! Of data in the host's memory: input and output are c_loc of arrays.
        integer(c_int) function autotune_pipeline_create(pipeline, context, problem, from, options, &
            error) bind(c)
            import
            type(c_ptr), intent(out) :: pipeline
            type(c_ptr), value :: context, from, options
            type(autotune_problem), intent(in) :: problem
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_pipeline_destroy(pipeline, error) bind(c)
            import
            type(c_ptr), value :: pipeline
            type(autotune_error), intent(inout) :: error
        end function
        integer(c_int) function autotune_execute_host(pipeline, input, n, output, error) bind(c)
            import
            type(c_ptr), value :: pipeline, input, output
            integer(c_int64_t), value :: n
            type(autotune_error), intent(inout) :: error
        end function
    end interface

contains
    ! A text for op, type, acc and options. It stays: they are few, and plans are made once.
    type(c_ptr) function autotune_text(text)
        character(*), intent(in) :: text
        character(kind=c_char), pointer :: copy(:)
        integer :: i
        allocate (copy(len(text) + 1))
        do i = 1, len(text)
            copy(i) = text(i:i)
        end do
        copy(len(text) + 1) = c_null_char
        autotune_text = c_loc(copy)
    end function

    ! The sentence of an error.
    function autotune_sentence(error) result(text)
        type(autotune_error), intent(in) :: error
        character(:), allocatable :: text
        integer :: i, length
        length = findloc(error%text, c_null_char, dim=1) - 1
        allocate (character(length) :: text)
        do i = 1, length
            text(i:i) = error%text(i)
        end do
    end function
end module
